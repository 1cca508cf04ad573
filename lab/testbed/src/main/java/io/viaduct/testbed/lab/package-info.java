/// `viaduct lab`: a laboratory that a user lays, changes and watches.
@NullMarked
package io.viaduct.testbed.lab;

import org.jspecify.annotations.NullMarked;
