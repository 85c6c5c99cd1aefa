"""What the probes of JVM servers share: the way into a running JVM, and the reader of its MBeans."""
