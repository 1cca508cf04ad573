/// Which SNAPTs there are and how they are; each announces itself over mutual TLS.
@NullMarked
package io.viaduct.bridge.directory;

import org.jspecify.annotations.NullMarked;
