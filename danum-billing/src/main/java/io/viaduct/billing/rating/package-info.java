/// Rating: utility, price, charge and discount of one flow in one interval. The computation uses
/// IEEE-754 doubles in one fixed order of operations; one class rounds to micro-denarii.
@NullMarked
package io.viaduct.billing.rating;

import org.jspecify.annotations.NullMarked;
