package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonAlias;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A usage report that billing did not book, kept for the operator.
public record RefusedReport(
    @Nullable String snapt,
    @Nullable String session,
    @Nullable String epoch,
    @Nullable String sequence,
    @Nullable String account,
    @Nullable String verdict,
    @Nullable String reason,
    @JsonAlias({"at", "refusedAt"}) @Nullable Instant receivedAt) {}
