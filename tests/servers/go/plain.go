// A server as most are: nothing but its routes.
package main

import "net/http"

func main() {
	mux := http.NewServeMux()
	routes(mux)
	serve(mux)
}
