/// A payment provider to try out: a pay page, and signed events to billing.
@NullMarked
package io.viaduct.testbed.payment;

import org.jspecify.annotations.NullMarked;
