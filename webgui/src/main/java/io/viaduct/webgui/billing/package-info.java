/// What the pages know of billing: sessions, balances, charges, top-ups, the event stream. Shapes
/// are those of billing's OpenAPI document; unknown members are ignored. A record without a member
/// that it needs is never made: such an answer is unreadable.
@NullMarked
package io.viaduct.webgui.billing;

import org.jspecify.annotations.NullMarked;
