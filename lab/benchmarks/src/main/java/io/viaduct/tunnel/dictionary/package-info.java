/// Stages whose parts are private to this package.
@NullMarked
package io.viaduct.tunnel.dictionary;

import org.jspecify.annotations.NullMarked;
