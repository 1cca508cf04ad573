/// `viaduct bench billing`: how much billing rates and posts, beside what its PostgreSQL can do at
/// all.
@NullMarked
package io.viaduct.billingbench;

import org.jspecify.annotations.NullMarked;
