// A server that can be looked into: pprof and expvar beside its routes, mutex and block profiles on.
package main

import (
	_ "expvar"
	"net/http"
	_ "net/http/pprof"
	"runtime"
)

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	routes(http.DefaultServeMux)
	serve(http.DefaultServeMux)
}
