/// Users of an installation: billing's REST interface, as an operator calls it.
@NullMarked
package io.viaduct.setup.users;

import org.jspecify.annotations.NullMarked;
