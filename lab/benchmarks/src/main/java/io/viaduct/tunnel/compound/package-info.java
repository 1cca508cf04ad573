/// Stages whose parts are private to this package.
@NullMarked
package io.viaduct.tunnel.compound;

import org.jspecify.annotations.NullMarked;
