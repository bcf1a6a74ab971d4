// Package mcp drives a task server behind the Model Context Protocol as an engine of the dialect
// tasks. It acts as the client: it sets up a graph, carries out calls with the server's tools,
// reads the graph back, and injects faults.
package mcp
