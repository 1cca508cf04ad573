/// The program `denarii`: billing's command line for users and operators, over its REST interface.
@NullMarked
package io.viaduct.denarii;

import org.jspecify.annotations.NullMarked;
