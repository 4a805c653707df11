#include "fit/least_squares.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace epwise::fit {

namespace {

constexpr int kMostSteps = 120;
constexpr double kDifference = 1e-5;  // of the scale
constexpr double kLeastGain = 1e-7;   // of the loss, below which a step ends the search
constexpr double kMostDamping = 1e9;

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Vector to_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Derivatives of the residuals by parameters in units of their scale.
Matrix derivatives(const Problem& problem,
                   const std::vector<double>& at,
                   const std::vector<double>& residuals) {
  const Vector here = to_vector(residuals);
  Matrix result(here.size(), static_cast<Eigen::Index>(at.size()));
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::vector<double> moved = at;
    const double step = kDifference * problem.scale[i];
    const double signed_step = at[i] + step <= problem.high[i] ? step : -step;
    moved[i] += signed_step;
    result.col(static_cast<Eigen::Index>(i)) =
        (to_vector(problem.residuals(moved)) - here) / (signed_step / problem.scale[i]);
  }
  return result;
}

Vector weights(const std::vector<double>& residuals, double softness) {
  Vector result = to_vector(residuals);
  return (1 + (result / softness).array().square()).rsqrt().matrix();
}

/// Parameters at a bound that the gradient pushes beyond it stand still.
void hold(const Problem& problem, const std::vector<double>& at, Matrix& normal, Vector& gradient) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const bool stuck = (at[i] <= problem.low[i] && gradient(row) > 0) ||
                       (at[i] >= problem.high[i] && gradient(row) < 0);
    if (stuck) {
      normal.row(row).setZero();
      normal.col(row).setZero();
      gradient(row) = 0;
    }
    normal(row, row) = std::max(normal(row, row), 1e-12);
  }
}

std::vector<double> moved(const Problem& problem, const std::vector<double>& at, const Vector& by) {
  std::vector<double> result = at;
  for (std::size_t i = 0; i < at.size(); ++i) {
    result[i] = std::clamp(at[i] + by(static_cast<Eigen::Index>(i)) * problem.scale[i],
                           problem.low[i],
                           problem.high[i]);
  }
  return result;
}

}  // namespace

double loss(const std::vector<double>& residuals, double softness) {
  double sum = 0;
  for (const double residual : residuals) {
    sum += 2 * (std::hypot(1.0, residual / softness) - 1);
  }
  return sum;
}

std::vector<double> minimise(const Problem& problem) {
  std::vector<double> at = problem.start;
  std::vector<double> residuals = problem.residuals(at);
  double best = loss(residuals, problem.softness);
  double damping = 1e-3;
  for (int step = 0; step < kMostSteps && damping < kMostDamping; ++step) {
    const Matrix slope = derivatives(problem, at, residuals);
    const Vector weight = weights(residuals, problem.softness);
    Matrix normal = slope.transpose() * weight.asDiagonal() * slope;
    Vector gradient = slope.transpose() * weight.asDiagonal() * to_vector(residuals);
    hold(problem, at, normal, gradient);
    bool better = false;
    while (!better && damping < kMostDamping) {
      Matrix damped = normal;
      damped.diagonal() *= 1 + damping;
      const std::vector<double> next = moved(problem, at, -damped.ldlt().solve(gradient));
      const std::vector<double> there = problem.residuals(next);
      const double now = loss(there, problem.softness);
      better = now < best;
      damping *= better ? 0.2 : 5;
      if (better) {
        const bool done = best - now < kLeastGain * best;
        at = next;
        residuals = there;
        best = now;
        if (done) {
          return at;
        }
      }
    }
  }
  return at;
}

}  // namespace epwise::fit
