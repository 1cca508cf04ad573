/// Traces: the weather of links over time, as text, and the generators of the shipped ones.
@NullMarked
package io.viaduct.testbed.trace;

import org.jspecify.annotations.NullMarked;
