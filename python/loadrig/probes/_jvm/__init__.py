"""The way into a running JVM, and the reader of its MBeans, which the probes of JVM servers share."""
