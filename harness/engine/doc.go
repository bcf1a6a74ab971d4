// Package engine drives engines that live outside the process: as subprocesses
// ([Start]) and behind HTTP ([Dial]). Both are a harness.Engine, and both speak
// the protocol of package rpc.
//
// Engines are not trusted: they may crash, hang, print garbage or without end, ignore
// signals, leave children behind or use up memory. In each case Eval returns a
// *harness.Failure for the case that caused it. The other cases get their answers, and
// the memory of this process stays bounded.
//
// The package does not judge answers. It only checks that they are answers.
package engine
