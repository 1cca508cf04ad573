/// Access to the kernel for the other packages of this module: system calls through the
/// foreign-function API, their constants under the names of the uapi headers, and descriptors on an
/// event loop. No code outside this module calls this package.
///
/// The constants are those of x86-64 and arm64, which agree in all that is used here.
@NullMarked
package io.viaduct.host.linux;

import org.jspecify.annotations.NullMarked;
