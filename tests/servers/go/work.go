// What both servers do at a request: each route makes one thing grow that a probe must see.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

var (
	kept   [][]byte
	keptMu sync.Mutex
	never  = make(chan struct{})
)

// number is a parameter of the query, or what it is where it is not given.
func number(r *http.Request, name string, otherwise int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil {
		return otherwise
	}
	return n
}

// burn is the hot function: n rounds of xorshift.
//
//go:noinline
func burn(n int) uint64 {
	x := uint64(88172645463325252)
	for i := 0; i < n; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// leaked waits for what never comes.
func leaked() {
	<-never
}

// contend lets n goroutines hold one lock for ms milliseconds each, one after the other.
func contend(n, ms int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := 0; i < n; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			mu.Lock()
			time.Sleep(time.Duration(ms) * time.Millisecond)
			mu.Unlock()
		}()
	}
	all.Wait()
}

func routes(mux *http.ServeMux) {
	mux.HandleFunc("/burn", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, burn(number(r, "n", 600_000)))
	})
	mux.HandleFunc("/json", func(w http.ResponseWriter, r *http.Request) {
		rows := make(map[string][]int)
		for i := 0; i < number(r, "n", 2000); i++ {
			rows[strconv.Itoa(i)] = []int{i, i + 1, i + 2, i + 3, i + 4, i + 5}
		}
		json.NewEncoder(w).Encode(rows)
	})
	mux.HandleFunc("/allocate", func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < number(r, "mb", 16); i++ {
			keptMu.Lock()
			kept = append(kept, make([]byte, 1<<20))
			keptMu.Unlock()
		}
		fmt.Fprintln(w, "kept")
	})
	mux.HandleFunc("/collect", func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < number(r, "n", 1); i++ {
			runtime.GC()
		}
		fmt.Fprintln(w, runtime.GOMAXPROCS(0))
	})
	mux.HandleFunc("/leak", func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < number(r, "n", 100); i++ {
			go leaked()
		}
		fmt.Fprintln(w, runtime.NumGoroutine())
	})
	mux.HandleFunc("/contend", func(w http.ResponseWriter, r *http.Request) {
		contend(number(r, "n", 4), number(r, "ms", 20))
		fmt.Fprintln(w, "let go")
	})
	mux.HandleFunc("/gomaxprocs", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, runtime.GOMAXPROCS(0))
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintln(w, "ok")
	})
}

// serve listens on a port of 127.0.0.1 that the system chooses (or PORT), and says which.
func serve(handler http.Handler) {
	port := os.Getenv("PORT")
	if port == "" {
		port = "0"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	fmt.Printf("listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, handler))
}
