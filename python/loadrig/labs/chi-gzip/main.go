// A catalogue behind chi: JSON of 17 kB, compressed by chi's own middleware where it is asked to.
//
//	server --port 8080 [--compress=true] [--work 0]
//	GET /catalogue      the catalogue, 17 kB of JSON
//	GET /price          an answer of one line after `work` rounds of arithmetic, 1.5 ns each
//	GET /health         "ok"
//	GET /debug/pprof/   profiles
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// compressionLevel is what most who add the middleware write, as its documentation does.
const compressionLevel = 5

func main() {
	port := flag.Int("port", 8080, "where to listen on 127.0.0.1")
	compress := flag.Bool("compress", true, "compress answers for clients that take gzip")
	work := flag.Int("work", 0, "rounds of arithmetic that /price takes")
	flag.Parse()

	catalogue, err := json.Marshal(products())
	if err != nil {
		log.Fatal(err)
	}
	router := chi.NewRouter()
	router.Mount("/debug", middleware.Profiler())
	router.Group(func(pages chi.Router) {
		if *compress {
			pages.Use(middleware.Compress(compressionLevel))
		}
		pages.Get("/catalogue", func(answer http.ResponseWriter, _ *http.Request) {
			answer.Header().Set("Content-Type", "application/json")
			_, _ = answer.Write(catalogue)
		})
		pages.Get("/price", func(answer http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(answer, "{\"cents\": %d}\n", price(*work)%10_000)
		})
		pages.Get("/health", func(answer http.ResponseWriter, _ *http.Request) {
			fmt.Fprintln(answer, "ok")
		})
	})
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), router))
}
