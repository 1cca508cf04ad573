/// Sends accounting requests to servers, one after the other.
@NullMarked
package io.viaduct.radius.client;

import org.jspecify.annotations.NullMarked;
