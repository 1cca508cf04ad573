/// Tariff documents as files, and the difference between two of them.
@NullMarked
package io.viaduct.denarii.document;

import org.jspecify.annotations.NullMarked;
