/// Rules of the HTTP interfaces that all services share, without a web framework.
@NullMarked
package io.viaduct.service.http;

import org.jspecify.annotations.NullMarked;
