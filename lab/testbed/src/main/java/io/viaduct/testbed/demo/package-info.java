/// The demonstration: every part of the system, real traffic, a hand-over, the bill.
@NullMarked
package io.viaduct.testbed.demo;

import org.jspecify.annotations.NullMarked;
