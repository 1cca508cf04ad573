package io.viaduct.denarii;

import picocli.CommandLine.Option;

/// A command that prints what billing answers: as text for people, or as JSON for programs.
abstract class ReadingCall extends BillingCall {
  @Option(names = "--json", description = "print JSON with stable keys; amounts in micro-denarii")
  private boolean json;

  boolean isJson() {
    return json;
  }
}
