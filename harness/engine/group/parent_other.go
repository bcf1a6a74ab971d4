//go:build unix && !linux

package group

import "syscall"

func endWithParent(*syscall.SysProcAttr) {}
