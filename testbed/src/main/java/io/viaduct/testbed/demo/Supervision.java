package io.viaduct.testbed.demo;

import io.viaduct.testbed.process.SupervisedService;

/// What a person hears of services that ended unasked.
///
/// @param narration one line for each restart
/// @param end of the demonstration, when a service cannot be kept running
record Supervision(Narration narration, Runnable end) implements SupervisedService.Listener {
  @Override
  public void restarted(String service, String how, int times) {
    narration.line("%s %s: started again (%d×)", service, how, times);
  }

  @Override
  public void gaveUp(String service, String why) {
    narration.hold(false, "%s", why);
    end.run();
  }
}
