/// The directory of SNAPTs and their state. Each SNAPT announces itself over mutual TLS.
@NullMarked
package io.viaduct.bridge.directory;

import org.jspecify.annotations.NullMarked;
