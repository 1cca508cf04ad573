/// The order in which the parts of billing start and stop.
@NullMarked
package io.viaduct.billing.lifecycle;

import org.jspecify.annotations.NullMarked;
