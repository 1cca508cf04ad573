/// Previews of a tariff, for an operator who has not stored it yet: the bill of an ordinary user's
/// day, and the price of a megabyte. Neither needs a database.
@NullMarked
package io.viaduct.billing.preview;

import org.jspecify.annotations.NullMarked;
