package io.viaduct.testbed.sip;

/// The exchanges that `bench sip` measures. Each has a scenario file of sipp of the same name.
enum SipScenario {
  REGISTER("REGISTER with digest (401, 200)", 0.9),
  ANSWERED("MESSAGE answered by the server", 0.9),
  RELAYED("MESSAGE relayed to a user agent (407, 200)", 0.5),
  CALL("INVITE to BYE relayed (407, 200)", 0.5);

  /// Words for people.
  final String title;

  /// Goal: our highest rate relative to Kamailio's.
  final double shareOfPeer;

  SipScenario(String title, double shareOfPeer) {
    this.title = title;
    this.shareOfPeer = shareOfPeer;
  }

  /// Returns the name on the command line, and that of the scenario file.
  String key() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /// Returns whether the exchange needs a user agent that answers.
  boolean hasCallee() {
    return this == RELAYED || this == CALL;
  }
}
