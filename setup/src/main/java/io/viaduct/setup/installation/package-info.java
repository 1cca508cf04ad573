/// The facts of an installation that its files follow from.
@NullMarked
package io.viaduct.setup.installation;

import org.jspecify.annotations.NullMarked;
