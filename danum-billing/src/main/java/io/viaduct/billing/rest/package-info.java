/// The HTTP interface under `/api/v1`: resources, problems (RFC 9457), server-sent events.
@NullMarked
package io.viaduct.billing.rest;

import org.jspecify.annotations.NullMarked;
