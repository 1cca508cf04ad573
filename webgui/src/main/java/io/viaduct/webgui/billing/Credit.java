package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/// A credit as it is sent to billing; with a charge it is the refund of that charge.
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Credit(MicroDenarii amountMicrodenarii, String reason, @Nullable String charge) {}
