/// Calls of other nodes: charges the seconds that they tell, and grants further ones (ADR 0069).
@NullMarked
package io.viaduct.billing.call;

import org.jspecify.annotations.NullMarked;
