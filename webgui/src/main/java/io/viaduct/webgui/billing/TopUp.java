package io.viaduct.webgui.billing;

/// A top-up as it is sent to billing.
public record TopUp(MicroDenarii amountMicrodenarii, String reference) {}
