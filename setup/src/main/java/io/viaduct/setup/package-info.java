/// The program `viaduct setup`: makes an installation, adds SNAPTs and users, renews certificates.
@NullMarked
package io.viaduct.setup;

import org.jspecify.annotations.NullMarked;
