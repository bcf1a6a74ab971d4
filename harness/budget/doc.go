// Package budget trims a chat history to a token budget.
package budget
