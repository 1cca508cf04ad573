package io.viaduct.testbed.demo;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/// One demonstration for all test classes that need it; it runs until the last of them has ended.
final class SharedDemo implements BeforeAllCallback {
  private static volatile @Nullable RunningDemo demo;

  static RunningDemo demo() {
    RunningDemo running = demo;
    if (running == null) {
      throw new IllegalStateException("annotate the class with @ExtendWith(SharedDemo.class)");
    }
    return running;
  }

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    if (demo == null) {
      RunningDemo running = RunningDemo.start("demo");
      context
          .getRoot()
          .getStore(Namespace.create(SharedDemo.class))
          .put("demo", (AutoCloseable) running::close);
      demo = running;
    }
    demo().awaitVerdict();
  }
}
