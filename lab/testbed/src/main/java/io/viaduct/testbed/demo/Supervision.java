package io.viaduct.testbed.demo;

import io.viaduct.testbed.process.SupervisedService;

/// Reports services that ended unexpectedly.
///
/// @param narration prints one line for each restart
/// @param end ends the demonstration when a service cannot be kept running
record Supervision(Narration narration, Runnable end) implements SupervisedService.Listener {
  @Override
  public void restarted(String service, String how, int times) {
    narration.line("%s %s and was restarted (%d×)", service, how, times);
  }

  @Override
  public void gaveUp(String service, String why) {
    narration.hold(false, "%s", why);
    end.run();
  }
}
