/// Requests to billing's REST interface, and the log-in that they are sent with.
@NullMarked
package io.viaduct.denarii.api;

import org.jspecify.annotations.NullMarked;
