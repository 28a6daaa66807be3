// SPDX-License-Identifier: Apache-2.0

// Records sample/pprof with Go's own profilers: GO111MODULE=off go run pprof.go go_cpu.pb.gz go_allocs.pb.gz
// tests/trace/pprof.py compares what tfprof makes of them with `go tool pprof -top`.
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
)

func work(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		x := strconv.Itoa(i)
		s += len(strings.Repeat(x, 3))
	}
	return s
}

func sorty(n int) int {
	a := make([]int, n)
	for i := range a {
		a[i] = (i * 7919) % n
	}
	sort.Ints(a)
	return a[n/2]
}

func main() {
	f, _ := os.Create(os.Args[1])
	pprof.StartCPUProfile(f)
	t := 0
	for i := 0; i < 60; i++ {
		t += work(60000)
		t += sorty(60000)
	}
	pprof.StopCPUProfile()
	f.Close()
	runtime.GC()
	h, _ := os.Create(os.Args[2])
	pprof.Lookup("allocs").WriteTo(h, 0)
	h.Close()
	println(t)
}
