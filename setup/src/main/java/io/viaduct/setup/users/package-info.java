/// Users of an installation, made through billing's REST interface.
@NullMarked
package io.viaduct.setup.users;

import org.jspecify.annotations.NullMarked;
