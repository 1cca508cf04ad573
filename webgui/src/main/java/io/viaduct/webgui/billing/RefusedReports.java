package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonAlias;
import java.util.List;

/// Newest first.
public record RefusedReports(@JsonAlias("refused") List<RefusedReport> reports) {}
