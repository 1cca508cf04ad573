/// Calls of the C library that Java does not offer.
@NullMarked
package io.viaduct.testbed.libc;

import org.jspecify.annotations.NullMarked;
