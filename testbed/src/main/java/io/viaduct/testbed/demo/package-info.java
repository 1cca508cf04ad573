/// The demonstration: every part, real traffic, a handover, the bill.
@NullMarked
package io.viaduct.testbed.demo;

import org.jspecify.annotations.NullMarked;
