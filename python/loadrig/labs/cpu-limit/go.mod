module loadrig.labs/catalogue

go 1.18

require github.com/go-chi/chi/v5 v5.1.0
