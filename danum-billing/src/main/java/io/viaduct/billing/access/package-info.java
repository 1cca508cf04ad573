/// Sessions of users in access networks, as those networks count them (ADR 0074).
@NullMarked
package io.viaduct.billing.access;

import org.jspecify.annotations.NullMarked;
