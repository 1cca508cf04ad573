/// The kernel as the other packages of this module see it: system calls through the
/// foreign-function API, their numbers under the names of the uapi headers, and descriptors on an
/// event loop. Nothing outside this module calls it.
///
/// Numbers are those of x86-64 and arm64, which agree in everything used here.
@NullMarked
package io.viaduct.host.linux;

import org.jspecify.annotations.NullMarked;
