#pragma once

#include "perf/sim/layer/prices.h"

namespace epwise::sim {

/// The nodes of one expert layer, as ordered by schedules: A (mixer, router, shared expert), D
/// (dispatch), M (experts) and C (combine), in seconds. Backward nodes include recompute before
/// them.
struct LayerTimes {
  double a_forward = 0;
  double a_data = 0;     // gradient of the input …
  double a_weights = 0;  // … and of the weights
  double m_forward = 0;
  double m_data = 0;
  double m_weights = 0;
  double d_forward = 0;
  double d_backward = 0;
  double c_forward = 0;
  double c_backward = 0;
  double replayed_exchange = 0;  // before the backward pass

  double host_a_forward = 0;
  double host_a_backward = 0;
  double host_m_forward = 0;
  double host_m_backward = 0;
  double host_d_forward = 0;
  double host_d_backward = 0;
  double host_c_forward = 0;
  double host_c_backward = 0;
  bool stalls = false;  // the host waits for the sizes of a dispatch
  double stall = 0;     // additional s per such wait

  double compute() const { return a_forward + m_forward + m_data + m_weights + a_data + a_weights; }

  double gpu_forward() const { return a_forward + d_forward + m_forward + c_forward; }

  double gpu_backward() const {
    return c_backward + m_data + m_weights + d_backward + a_data + a_weights + replayed_exchange;
  }

  double exchange() const { return d_forward + c_forward + d_backward + c_backward; }
};

/// `mixer`: of the layer's own kind.
LayerTimes layer_times(const StepWork& work,
                       const Piece& mixer,
                       const Constants& constants,
                       const Prices& prices,
                       const Effects& effects);

/// A layer with a dense MLP, in s: its mixer (a) and its MLP (m).
struct DenseTimes {
  double a_forward = 0;
  double a_data = 0;
  double a_weights = 0;
  double m_forward = 0;
  double m_data = 0;
  double m_weights = 0;
  double replay = 0;  // the MLP's forward repeated before its backward pass
  double host_a_forward = 0;
  double host_a_backward = 0;
  double host_m_forward = 0;
  double host_m_backward = 0;

  double gpu_forward() const { return a_forward + m_forward; }

  double gpu_backward() const { return m_data + m_weights + a_data + a_weights; }

  double host_forward() const { return host_a_forward + host_m_forward; }

  double host_backward() const { return host_a_backward + host_m_backward; }
};

/// `mixer`: of the layer's own kind.
DenseTimes dense_times(const StepWork& work, const Piece& mixer, const Prices& prices);

/// One exchange in either direction, in s.
double priced_exchange(const StepWork& work, const Constants& constants);

}  // namespace epwise::sim
