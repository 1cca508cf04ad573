package io.viaduct.stages;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.classification.Applications;
import io.viaduct.cnapt.classification.Classifier;
import io.viaduct.cnapt.classification.FlowIdentity;
import java.util.Optional;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/// Measures the classification of a flow, which happens once per flow: by the first rule, and by
/// none.
@State(Scope.Thread)
public class ClassifyStage {
  private final Classifier classifier = Applications.classifier(Optional.empty());
  private final FlowIdentity known = new FlowIdentity(17, 50_000, 5060);
  private final FlowIdentity unknown = new FlowIdentity(6, 50_000, 49_999);

  @Benchmark
  public Application knownPort() {
    return classifier.classify(known, null);
  }

  @Benchmark
  public Application noRuleHolds() {
    return classifier.classify(unknown, "curl");
  }
}
