// Package engine drives engines that live outside the process: as subprocesses
// ([Start]) and behind HTTP ([Dial]). Both are a harness.Engine, and both speak
// the protocol of package rpc.
//
// What comes from an engine is not trusted. Whatever it does (crash, hang,
// print garbage, print without end, ignore signals, leave children behind, eat
// memory), Eval returns a *harness.Failure for the case that is to blame, the
// other cases get their answers, and the memory used here stays bounded.
//
// The package does not judge answers. It only asks that they are answers.
package engine
