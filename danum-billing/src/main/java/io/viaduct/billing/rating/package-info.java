/// From one flow of one interval to micro-denarii: utility, price, charge and discount in IEEE-754
/// double, in one fixed order of operations, rounded in one class.
@NullMarked
package io.viaduct.billing.rating;

import org.jspecify.annotations.NullMarked;
